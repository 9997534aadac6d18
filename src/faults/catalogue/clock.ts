/** Clock faults of the catalogue: wall clocks that jump or run at a wrong pace. */
import type { TankFault } from '../catalogue.ts'

/** What the clock families have alike. */
const ON_CLOCK = {
  group: 'clock',
  landing: 'times that a program on the host read while its clock was wrong',
  cleanup: 'The clock is right again at once, as after a step of NTP: a second jump.',
} as const

export const CLOCK_FAULTS: readonly TankFault[] = [
  {
    ...ON_CLOCK,
    name: 'clock-jump',
    text: 'The wall clock of a host jumps ahead or back.',
    parameters: [
      { name: 'back', unit: '', drawn: { of: ['ahead', 'back'] }, text: 'the direction' },
      {
        name: 'offset',
        unit: 'µs',
        drawn: { least: 1000, most: 500_000 },
        text: 'how far; the most is the budget `clockSkewMs`',
      },
    ],
    mechanism: 'An offset is added to what the clock shows.',
    cannot: 'Monotonic time and timers are right; no clock is further off than `clockSkewMs`.',
  },
  {
    ...ON_CLOCK,
    name: 'clock-drift',
    text: 'The wall clock of a host runs fast or slow.',
    parameters: [
      { name: 'slow', unit: '', drawn: { of: ['fast', 'slow'] }, text: 'the direction' },
      { name: 'drift', unit: 'ppm', drawn: { least: 1000, most: 50_000 }, text: 'how fast it goes wrong' },
    ],
    mechanism: 'The clock gains or loses with every second until it is as far off as the budget allows.',
    cannot: 'Monotonic time and timers are right; no clock is further off than `clockSkewMs`.',
  },
  {
    ...ON_CLOCK,
    name: 'clock-back',
    text: 'The wall clock of a host jumps back.',
    parameters: [
      {
        name: 'offset',
        unit: 'µs',
        drawn: { least: 1000, most: 500_000 },
        text: 'how far; the most is the budget `clockSkewMs`',
      },
    ],
    mechanism: 'An offset is taken from what the clock shows.',
    cannot: 'Monotonic time and timers are right; no clock is further off than `clockSkewMs`.',
  },
  {
    ...ON_CLOCK,
    name: 'clock-slow',
    text: 'The wall clock of a host loses a good part of every second.',
    parameters: [{ name: 'percent', unit: '%', drawn: { least: 10, most: 50 }, text: 'what it loses' }],
    mechanism: 'The clock falls behind until it is as far off as the budget allows.',
    cannot: 'Monotonic time and timers are right; no clock is further off than `clockSkewMs`.',
  },
]
