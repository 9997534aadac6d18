/** A plain table: columns as wide as their content, text to the left, numbers to the right. */

export type Cell = string | number

/** Rows of equal length; `paint` colours a whole line, given its row. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], indent = '  '): string[] {
  const width = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => text(row[column]).length)),
  )
  const line = (cells: readonly Cell[]): string => {
    const padded = cells.map((cell, column) =>
      typeof cell === 'number' ? text(cell).padStart(width[column]) : cell.padEnd(width[column]),
    )
    return (indent + padded.join('  ')).trimEnd()
  }
  const numeric = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  )
  const title = head.map((cell, column) => (numeric[column] ? cell.padStart(width[column]) : cell))
  return [line(title), ...rows.map(line)]
}

function text(cell: Cell): string {
  return typeof cell === 'number' ? String(cell).replace(/\B(?=(\d{3})+$)/g, ',') : cell
}
