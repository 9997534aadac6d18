/** Names that people bring from Jepsen tests. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'partition-random-halves': ['partition:halves'],
  'partition-random-node': ['partition:one'],
  'kill-random-node': ['kill:one'],
  'pause-random-node': ['pause:one'],
  combined: ['kill:one', 'pause:one', 'partition:halves'],
}
