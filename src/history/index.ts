/**
 * Histories: what was asked of a system and what came of it. Record one, read one from a file of any known format,
 * walk its columns.
 */
export type { HistoryEvent, Operation, Outcome } from './operation.ts'
export { FAIL, History, INFO, NEVER, OK } from './history.ts'
export type { FaultEvent, HistoryColumns, HistoryTables } from './history.ts'
export type { HistoryProblem, ProblemCode, TextPosition } from './problem.ts'
export { Recorder } from './recorder.ts'
export type { OpenOperation, OperationEnd, OperationStart, RecorderOptions } from './recorder.ts'
export { parseHistory, readHistory, type ReadOptions } from './read.ts'
export { HistoryWriter, printHistory, writeHistory } from './write.ts'
export { HistorySyntaxError } from './formats/syntax-error.ts'
export { sameValue } from './value.ts'
