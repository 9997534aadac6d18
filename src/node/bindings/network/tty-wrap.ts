/** `tty_wrap`: no simulated process has a terminal. */
import type { Binding } from '../../library/internals.ts'
import { closed } from '../binding.ts'

export function ttyWrap(): Binding {
  return closed('tty_wrap', { isTTY: () => false })
}
