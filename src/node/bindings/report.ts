/**
 * `report`: settings of diagnostic reports, and the report itself. It describes the simulated process and machine, with
 * empty lists where a real one describes native threads, handles and libraries. One fact is the host's, since loaders of
 * native packages ask for it to choose a build: whether its C library is glibc. Its version is pinned. No report is
 * written to a file.
 */
import type { Binding } from '../library/internals.ts'
import { asHost } from '../process/current.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { closed } from './binding.ts'

const GLIBC = '2.36'

let glibcHere: boolean | undefined

/** Whether this machine has glibc; Node on another C library leaves the version out. */
function hasGlibc(): boolean {
  glibcHere ??= asHost(() => {
    const { header } = hostReport() as { header: { glibcVersionRuntime?: string } }
    return header.glibcVersionRuntime !== undefined
  })
  return glibcHere
}

// Taken now: a simulated process has its own.
const hostReport = process.report.getReport.bind(process.report)

function reportOf(
  process: RunningProcess,
  error: { readonly stack?: unknown; readonly message?: unknown },
): string {
  const { object } = process
  const os = process.modules.require('os')
  const wallMs = process.wallMs()
  const [message = '', ...stack] = (typeof error.stack === 'string' ? error.stack : '').split('\n')
  return JSON.stringify({
    header: {
      reportVersion: 3,
      event: 'JavaScript API',
      trigger: 'GetReport',
      filename: null,
      dumpEventTime: new Date(wallMs).toISOString().slice(0, 19) + 'Z',
      dumpEventTimeStamp: String(wallMs),
      processId: object.pid,
      threadId: 0,
      cwd: process.cwd,
      commandLine: object.argv,
      nodejsVersion: object.version,
      ...(hasGlibc() && { glibcVersionRuntime: GLIBC, glibcVersionCompiler: GLIBC }),
      wordSize: 64,
      arch: object.arch,
      platform: object.platform,
      componentVersions: { ...object.versions },
      release: { ...object.release },
      osName: os.type(),
      osRelease: os.release(),
      osVersion: os.version(),
      osMachine: os.machine(),
      cpus: os.cpus(),
      networkInterfaces: [],
      host: os.hostname(),
    },
    javascriptStack: { message, stack: stack.map((line) => line.trim()), errorProperties: {} },
    javascriptHeap: {},
    nativeStack: [],
    resourceUsage: {},
    uvthreadResourceUsage: {},
    libuv: [],
    workers: [],
    environmentVariables: { ...object.env },
    userLimits: {},
    sharedObjects: [],
  })
}

export function report(process: RunningProcess): Binding {
  const settings = {
    compact: false,
    excludeNetwork: false,
    excludeEnv: false,
    directory: '',
    filename: '',
    signal: 'SIGUSR2',
    onFatalError: false,
    onSignal: false,
    onUncaughtException: false,
  }
  const accessors: Binding = {}
  const define = (getter: string, setter: string, key: keyof typeof settings): void => {
    accessors[getter] = () => settings[key]
    accessors[setter] = (value: never) => {
      settings[key] = value
    }
  }
  define('getCompact', 'setCompact', 'compact')
  define('getExcludeNetwork', 'setExcludeNetwork', 'excludeNetwork')
  define('getExcludeEnv', 'setExcludeEnv', 'excludeEnv')
  define('getDirectory', 'setDirectory', 'directory')
  define('getFilename', 'setFilename', 'filename')
  define('getSignal', 'setSignal', 'signal')
  define('shouldReportOnFatalError', 'setReportOnFatalError', 'onFatalError')
  define('shouldReportOnSignal', 'setReportOnSignal', 'onSignal')
  define('shouldReportOnUncaughtException', 'setReportOnUncaughtException', 'onUncaughtException')
  accessors.getReport = (error: { readonly stack?: unknown }) => reportOf(process, error)
  return closed('report', accessors)
}
