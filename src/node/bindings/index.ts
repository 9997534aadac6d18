/**
 * All bindings by name: the host's own where they are pure, one per thread where members dispatch to the current
 * process, one per process where they hold its data or its classes. Any other is closed altogether.
 */
import type { Binding } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import type { NodeThread } from '../thread.ts'
import { caresWrap } from './cares-wrap.ts'
import { credentials } from './credentials.ts'
import {
  asyncWrap,
  buffer,
  builtins,
  diagnosticsChannel,
  errors,
  inspector,
  mksnapshot,
  permission,
  traceEvents,
  util,
  wasmWebApi,
} from './environment.ts'
import { crypto } from './crypto.ts'
import { fs } from './fs.ts'
import { fsDir } from './fs-dir.ts'
import { fsEventWrap } from './fs-event.ts'
import { httpParser } from './http-parser.ts'
import { http2 } from './http2.ts'
import { jsStream } from './js-stream.ts'
import { locks } from './locks.ts'
import { messaging } from './messaging.ts'
import { options } from './options.ts'
import { os } from './os.ts'
import { performance } from './performance.ts'
import { pipeWrap } from './pipe-wrap.ts'
import { processMethods } from './process-methods.ts'
import { processWrap } from './process-wrap.ts'
import { report } from './report.ts'
import { signalWrap } from './signal-wrap.ts'
import { spawnSync } from './spawn-sync.ts'
import { streamPipe } from './stream-pipe.ts'
import { streamWrap } from './stream-wrap.ts'
import { taskQueue } from './task-queue.ts'
import { tcpWrap } from './tcp-wrap.ts'
import { timers } from './timers.ts'
import { tlsWrap } from './tls-wrap.ts'
import { ttyWrap } from './tty-wrap.ts'
import { udpWrap } from './udp-wrap.ts'
import { v8 } from './v8.ts'
import { webStorage } from './web-storage.ts'
import { worker } from './worker.ts'
import { zlib } from './zlib.ts'

/** Pure functions and constants: no clock, no I/O, no registration. */
export const hostBindings: ReadonlySet<string> = new Set([
  'block_list',
  'config',
  'constants',
  'encoding_binding',
  'icu',
  'internal_only_v8',
  'ipc_serdes',
  'serdes',
  'string_decoder',
  'symbols',
  'types',
  'url',
  'url_pattern',
  'uv',
])

export const threadBindings: Readonly<Record<string, (thread: NodeThread) => Binding>> = {
  async_wrap: asyncWrap,
  builtins,
  cares_wrap: caresWrap,
  credentials,
  crypto,
  diagnostics_channel: diagnosticsChannel,
  errors,
  fs,
  fs_dir: fsDir,
  http2,
  http_parser: httpParser,
  inspector,
  js_stream: jsStream,
  mksnapshot,
  os,
  permission,
  pipe_wrap: pipeWrap,
  process_wrap: processWrap,
  signal_wrap: signalWrap,
  spawn_sync: spawnSync,
  stream_pipe: streamPipe,
  stream_wrap: streamWrap,
  tcp_wrap: tcpWrap,
  trace_events: traceEvents,
  tls_wrap: tlsWrap,
  tty_wrap: ttyWrap,
  udp_wrap: udpWrap,
  util,
  v8,
  wasm_web_api: wasmWebApi,
  webstorage: webStorage,
}

export const processBindings: Readonly<Record<string, (process: NodeProcess) => Binding>> = {
  buffer,
  fs_event_wrap: fsEventWrap,
  locks,
  messaging,
  options,
  performance,
  process_methods: processMethods,
  report,
  task_queue: taskQueue,
  timers,
  worker,
  zlib,
}
