/** What the pools run. */
export default function square(n) {
  if (n < 0) throw new Error('negative')
  return n * n
}
