/**
 * Files that do not count, each pattern with its reason: what they test is something a simulated world has no
 * counterpart for. "Not built yet" is not a reason: such files count, and fail.
 */
export interface Exclusion {
  readonly pattern: RegExp
  readonly reason: string
}

/** By file name. */
const NAMES: readonly Exclusion[] = [
  {
    pattern: /inspector|debugger|inspect-|-repl|sigint-watchdog|test-worker-(debug|prof|cpu-prof|heap-?prof)/,
    reason: 'the inspector, the debugger, the profiler and the REPL drive the real thread',
  },
  {
    pattern: /snapshot|heap-?dump|heapdump|code-cache|node-output/,
    reason: 'heap snapshots and code caches are of the real heap, with every simulated process in it',
  },
  {
    pattern: /permission|policy|\bsea\b|wasi|shadow-realm|trace-events|trace-event\b|tracing/,
    reason:
      'the permission model, policies, single executables, WASI, shadow realms and trace events are the host’s',
  },
  { pattern: /secure-heap|fips|openssl3-config/, reason: 'OpenSSL is set up once for the host’s process' },
]

/** By what the file does. */
const SOURCES: readonly Exclusion[] = [
  {
    pattern: /\b(spawnSync|execSync|execFileSync|spawnSyncAndExit\w*|spawnSyncAndAssert|Atomics\.wait)\b/,
    reason: 'blocks its thread until a child or another thread has run; one microtask queue cannot do that',
  },
  {
    pattern: /readFileSync\('\/dev\/stdin'/,
    reason: 'blocks its thread until a child or another thread has run; one microtask queue cannot do that',
  },
  {
    pattern: /common\/gc|\bonGC\b|FinalizationRegistry|\b(global|globalThis)\.gc\b|\bgc\(\)|--expose-gc/i,
    reason:
      'garbage collection is not observable in the tank: weak references are strong, finalizers never run',
  },
  {
    pattern: /require\('(node:)?inspector(\/promises)?'\)|skipIfInspectorDisabled|node:inspector|--inspect\b/,
    reason: 'the inspector, the debugger, the profiler and the REPL drive the real thread',
  },
  {
    pattern:
      /module\.register\(|es-module-loaders\/(mock|builtin-named-exports)\.mjs|--(experimental-)?loader\b|register\(['"`]/,
    reason: 'customisation hooks run on another thread that the first one blocks on',
  },
  {
    pattern:
      /opensslCli|common\.opensslCli|hasOpenSSLCli|((spawn|exec|execFile)\(|isWindows \? '\w+' : )'(ls|grep|head|python3|sed|tr)\b|ulimit -/,
    reason: 'runs a program other than Node',
  },
  {
    pattern:
      /^(?=[^]*\b(terminate|kill)\()[^]*(while ?\((true|1)\)(;| \{\s*\}| p\.|\s+vm\.)|Promise\.resolve\(\)\.then\(loop\))/,
    reason: 'stops an endless computation from outside; JavaScript that is running has the only thread',
  },
  {
    pattern: /ERR_WORKER_OUT_OF_MEMORY|stackSizeMb/,
    reason: 'the heap and the stack are the engine’s, one of each for all simulated threads',
  },
  {
    pattern: /--abort-on-uncaught-exception/,
    reason: 'the engine would abort the host’s process',
  },
  {
    pattern: /--(experimental-)?(permission|policy|shadow-realm)\b|require\('(node:)?wasi'\)|trace_events/,
    reason:
      'the permission model, policies, single executables, WASI, shadow realms and trace events are the host’s',
  },
]

/** Why a file does not count; null when it does. */
export function exclusionOf(file: string, source: string): string | null {
  for (const { pattern, reason } of NAMES) if (pattern.test(file)) return reason
  for (const { pattern, reason } of SOURCES) if (pattern.test(source)) return reason
  return null
}
