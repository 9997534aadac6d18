/**
 * All bindings by name: the host's own where they are pure, one per thread where members dispatch to the current
 * process, one per process where they hold its data or its classes. Any other is closed altogether.
 */
import type { Binding } from '../library/internals.ts'
import type { RunningProcess, SharedThread } from '../process/running-process.ts'
import { caresWrap } from './dns/cares-wrap.ts'
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
import { fs } from './fs/fs.ts'
import { fsDir } from './fs/dir.ts'
import { fsEventWrap } from './fs/event.ts'
import { httpParser } from './network/http-parser.ts'
import { http2 } from './network/http2.ts'
import { jsStream } from './network/js-stream.ts'
import { locks } from './threads/locks.ts'
import { messaging } from './threads/messaging.ts'
import { options } from './options.ts'
import { os } from './os.ts'
import { performance } from './performance.ts'
import { pipeWrap } from './network/pipe-wrap.ts'
import { processMethods } from './process-methods.ts'
import { processWrap } from './process-wrap.ts'
import { report } from './report.ts'
import { signalWrap } from './signal-wrap.ts'
import { spawnSync } from './spawn-sync.ts'
import { streamPipe } from './network/stream-pipe.ts'
import { streamWrap } from './network/stream-wrap.ts'
import { taskQueue } from './task-queue.ts'
import { tcpWrap } from './network/tcp-wrap.ts'
import { timers } from './timers.ts'
import { tlsWrap } from './network/tls-wrap.ts'
import { ttyWrap } from './network/tty-wrap.ts'
import { udpWrap } from './network/udp-wrap.ts'
import { v8 } from './v8.ts'
import { webStorage } from './web-storage.ts'
import { worker } from './threads/worker.ts'
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

export const threadBindings: Readonly<Record<string, (thread: SharedThread) => Binding>> = {
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

export const processBindings: Readonly<Record<string, (process: RunningProcess) => Binding>> = {
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
