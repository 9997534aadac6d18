/** `report`: settings of diagnostic reports. No report is ever written: it would describe the host. */
import type { Binding } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import { closed } from './binding.ts'

export function report(_process: NodeProcess): Binding {
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
  return closed('report', accessors)
}
