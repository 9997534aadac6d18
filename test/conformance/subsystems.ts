/**
 * Which of Node's own tests belong to which subsystem, by file name. The first subsystem whose pattern matches takes
 * the file; a file that no pattern matches is not part of the measure.
 */
export interface Subsystem {
  readonly name: string
  readonly pattern: RegExp
  /** The share of applicable files that must pass, in per cent. */
  readonly barPercent: number
}

const HIGH = 97
const OVERALL_BAR_PERCENT = 93

function subsystem(name: string, pattern: RegExp, barPercent = OVERALL_BAR_PERCENT): Subsystem {
  return { name, pattern, barPercent }
}

export const SUBSYSTEMS: readonly Subsystem[] = [
  subsystem('timers', /\/test-(timers?|set-?(interval|timeout|immediate))/, HIGH),
  subsystem('process', /\/test-(process|next-tick|promises?|microtask|unhandled|uncaught|tick|exception|queue-next|beforeexit|exit|warn|signal|umask|cwd|stdin|stdout|stdio|eventemitter-asyncresource)\b/, HIGH), // prettier-ignore
  subsystem('events', /\/test-(event|events|eventtarget)\b/, HIGH),
  subsystem('stream', /\/test-(stream\w*|streams|readable|writable|transform|duplex|pipe)\b/, HIGH),
  subsystem('https', /\/test-https\b/, HIGH),
  subsystem('http2', /\/test-http2\b/),
  subsystem('http', /\/test-(http|outgoing)\b/, HIGH),
  subsystem('tls', /\/test-tls\b/),
  subsystem('net', /\/test-(net|socket|socketaddress|blocklist|listen|tcp|double)\b/, HIGH),
  subsystem('dgram', /\/test-(dgram|udp)\b/, HIGH),
  subsystem('dns', /\/test-(dns|c-ares)\b/),
  subsystem('fs', /\/test-(fs|file|filehandle)\b/, HIGH),
  subsystem('child_process', /\/test-(child|spawn)\b/),
  subsystem('cluster', /\/test-cluster\b/),
  subsystem('worker_threads', /\/test-worker\b/),
  subsystem('zlib', /\/test-zlib\b/, HIGH),
  subsystem('crypto', /\/test-(crypto|webcrypto|x509)\b/),
  subsystem('readline', /\/test-readline\b/),
  subsystem('util', /\/test-(util|mime|structured)\b/),
  subsystem('url', /\/test-(url|whatwg-url|querystring)\b/),
  subsystem('buffer', /\/test-(buffer|blob|stringbytes)\b/),
  subsystem('string_decoder', /\/test-string-decoder\b/),
  subsystem('async_hooks', /\/(test-(async|asyncresource)\b|async-hooks\/test-)/),
  subsystem('abort', /\/test-(abortcontroller|abortsignal|aborted)/),
  subsystem('whatwg', /\/test-(whatwg|fetch|websocket|eventsource|messagechannel|message-channel|broadcastchannel|webstreams?|compression|global-webstreams)\b/), // prettier-ignore
  subsystem('perf_hooks', /\/test-(perf|performance\w*)\b/),
  subsystem('diagnostics_channel', /\/test-diagnostics\b/),
  subsystem('modules', /(\/test-(module|require|esm|preload|cjs|import)\b|\/es-module\/test-)/),
]

/** The bar for all applicable files together. */
export const OVERALL_BAR = OVERALL_BAR_PERCENT

export function subsystemOf(file: string): Subsystem | null {
  return SUBSYSTEMS.find(({ pattern }) => pattern.test(file)) ?? null
}
