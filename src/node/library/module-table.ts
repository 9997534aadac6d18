/**
 * The table of Node's internal modules: each exists once in the host, once per thread, or once per simulated process.
 * It is data, with a reason per group. A module that it does not name is made per process, which is always right and
 * sometimes slow.
 *
 * - `host`: the instance that the host itself uses. Only for modules without state of their own, or whose state is
 *   harmless or dispatched through the swapped host process (see host-process.ts). The set is closed downward for
 *   modules that hold symbols: a helper that existed twice would have two sets of them.
 * - `thread`: one instance of ours per thread, over bindings that dispatch to the current process. For hot modules
 *   whose classes would otherwise exist once per process (V8 then sees as many hidden classes).
 *   Where such a module has variables, it may be *parted*: they become each process's own (see parting/rewriting.ts).
 * - `process`: a fresh instance per boot.
 *
 * A name ending in `/*` stands for every module below it. Longer names win over shorter ones.
 */

export type Scope = 'host' | 'thread' | 'process'

export interface ModuleGroup {
  readonly scope: Scope
  readonly reason: string
  /** Its variables are each process's own. */
  readonly parted?: true
  readonly modules: readonly string[]
}

export const MODULE_TABLE: readonly ModuleGroup[] = [
  {
    scope: 'host',
    reason: 'pure functions, classes and constants; identity of errors and types is shared with the host',
    modules: [
      'internal/assert',
      'internal/bootstrap/realm',
      'internal/cli_table',
      'internal/constants',
      'internal/data_url',
      'internal/encoding',
      'internal/encoding/*',
      'internal/error_serdes',
      'internal/errors',
      'internal/errors/*',
      'internal/fixed_queue',
      'internal/freelist',
      'internal/idna',
      'internal/linkedlist',
      'internal/mime',
      'internal/priority_queue',
      'internal/querystring',
      'internal/ring_buffer',
      'internal/util',
      'internal/util/*',
      'internal/validators',
      'internal/webidl',
      'path',
      'path/posix',
      'path/win32',
      'string_decoder',
      'url',
      'internal/url',
      'internal/urlpattern',
      'util',
      'util/types',
      'sys',
      'constants',
    ],
  },
  {
    scope: 'host',
    reason:
      'the language of all I/O code: two sets of symbols or prototypes would break instanceof and iteration',
    modules: [
      'events',
      'internal/events/*',
      'internal/event_target',
      'buffer',
      'internal/buffer',
      'stream',
      'stream/*',
      '_stream_duplex',
      '_stream_passthrough',
      '_stream_readable',
      '_stream_transform',
      '_stream_writable',
      'internal/streams/*',
      'internal/webstreams/*',
      'internal/abort_listener',
      'internal/blob',
      'internal/worker/js_transferable',
      'internal/worker/clone_dom_exception',
      'internal/per_context/*',
    ],
  },
  {
    scope: 'host',
    reason: 'async ids and frames belong to the thread; natives know only one instance',
    modules: [
      'async_hooks',
      'internal/async_hooks',
      'internal/async_context_frame',
      'internal/async_local_storage/*',
      'internal/promise_hooks',
      'internal/inspector_async_hook',
    ],
  },
  {
    scope: 'host',
    reason: 'assertion errors are errors',
    modules: ['internal/assert/*'],
  },
  {
    scope: 'host',
    reason: 'key objects are native classes registered once per environment',
    modules: [
      'internal/crypto/keys',
      'internal/crypto/util',
      'internal/crypto/hashnames',
      'internal/crypto/webidl',
      'internal/crypto/x509',
      'internal/socketaddress',
      'internal/blocklist',
    ],
  },
  {
    scope: 'host',
    reason: 'engine facilities of the thread: snapshots, source maps, compilation',
    modules: [
      'internal/v8/startup_snapshot',
      'internal/source_map/*',
      'internal/deps/acorn/*',
      'internal/deps/cjs-module-lexer/*',
      'internal/deps/minimatch/*',
      'internal/deps/v8/*',
      'internal/deps/amaro/*',
    ],
  },
  {
    scope: 'process',
    reason: 'its zlib streams belong to a process',
    modules: ['internal/webstreams/compression', 'stream/web'],
  },
  {
    scope: 'process',
    reason: 'files and timers, in the midst of modules that have none',
    modules: ['internal/streams/fast-utf8-stream', 'internal/util/debounce', 'internal/util/throttle'],
  },
  {
    scope: 'thread',
    reason: 'hot and stateless over dispatching bindings: sockets, HTTP messages, datagrams',
    modules: [
      'net',
      'internal/net',
      'internal/stream_base_commons',
      'internal/socket_list',
      'internal/js_stream_socket',
      '_http_agent',
      '_http_client',
      '_http_common',
      '_http_incoming',
      '_http_outgoing',
      '_http_server',
      'http',
      'https',
      'dgram',
      'internal/dgram',
      'internal/fs/utils',
      '_stream_wrap',
      '_tls_common',
      '_tls_wrap',
      'tls',
      'internal/tls/*',
    ],
  },
  {
    scope: 'thread',
    parted: true,
    reason: 'every socket has timers: one class of them for all processes',
    modules: ['timers', 'internal/timers'],
  },
  {
    scope: 'thread',
    parted: true,
    reason: 'a class that every loading of a file makes an object of',
    modules: ['internal/fs/read/context'],
  },
  {
    scope: 'thread',
    parted: true,
    reason: 'large, and every process has it: the compiler took seconds to optimise its making',
    modules: ['fs'],
  },
  {
    scope: 'thread',
    parted: true,
    reason: 'every boot has them, with little state: ticks, rejections, signals, options',
    modules: [
      'internal/dns/utils',
      'internal/options',
      'internal/process/execution',
      'internal/process/per_thread',
      'internal/process/permission',
      'internal/process/pre_execution',
      'internal/process/promises',
      'internal/process/signal',
      'internal/process/task_queues',
      'internal/process/warning',
    ],
  },
  {
    scope: 'thread',
    parted: true,
    reason: 'classes that every process with a connection to a name has',
    modules: ['internal/dns/callback_resolver'],
  },
  {
    scope: 'thread',
    reason: 'algorithms over a dispatching binding; many programs hash something',
    modules: ['internal/crypto/*'],
  },
  {
    scope: 'process',
    reason: 'random bytes in stock, and what is made of them',
    modules: ['internal/crypto/random', 'internal/crypto/webcrypto'],
  },
  {
    scope: 'thread',
    reason: 'classes without state of their own, which every ES module loader gets with its file handles',
    modules: ['internal/readline/*'],
  },
  {
    scope: 'thread',
    reason: 'the class of consoles, whose state is in each console; a process makes one when it boots',
    modules: ['internal/console/constructor'],
  },
  {
    scope: 'thread',
    reason: 'reads the clock',
    modules: ['internal/file'],
  },
  {
    scope: 'thread',
    reason: 'natives call back into the instance that registered last',
    modules: ['http2', 'internal/http2/*'],
  },
]

const parted = new Set(MODULE_TABLE.flatMap((group) => (group.parted ? group.modules : [])))
const exact = new Map<string, Scope>()
const prefixes: { readonly prefix: string; readonly scope: Scope }[] = []
for (const { scope, modules } of MODULE_TABLE) {
  for (const name of modules) {
    if (name.endsWith('/*')) prefixes.push({ prefix: name.slice(0, -1), scope })
    else exact.set(name, scope)
  }
}
prefixes.sort((a, b) => b.prefix.length - a.prefix.length || (a.prefix < b.prefix ? -1 : 1))

/** Where a builtin module lives. */
export function scopeOf(id: string): Scope {
  let scope = exact.get(id)
  if (scope === undefined) exact.set(id, (scope = scopeOfFolder(id)))
  return scope
}

function scopeOfFolder(id: string): Scope {
  for (const { prefix, scope } of prefixes) if (id.startsWith(prefix)) return scope
  return 'process'
}

/** Whether the variables of a module of the thread are each process's own. */
export function isParted(id: string): boolean {
  return parted.has(id)
}

/** Modules that a process's loaders make (loader/node-loaders.ts); what else they require comes from the process. */
export function isLoaderModule(id: string): boolean {
  return (
    id.startsWith('internal/modules/') ||
    id === 'module' ||
    id === 'vm' ||
    id === 'internal/vm' ||
    id.startsWith('internal/vm/')
  )
}
