/**
 * What injects a nemesis outside the tank: the faults of `wavetank real` and of `wavetank maelstrom`, each with the
 * families by which the nemeses know it. Both record what their victims showed.
 */
import type { FamilyKind } from './nemeses.ts'

/** `name` or `name:variant` of `wavetank real nemeses`; a variant that is not here is as its name. */
export const REAL_NEMESES: Readonly<Record<string, readonly FamilyKind[]>> = {
  kill: ['reboot', 'reboot/kill'],
  stop: ['reboot', 'reboot/stop'],
  // It waits for each node, so it is a restart of each and not the wrong order.
  'rolling-restart': ['reboot', 'reboot/stop'],
  'rolling-restart:kill': ['reboot', 'reboot/kill'],
  pause: ['pause'],
  freeze: ['pause'],
  partition: ['partition'],
  'partition:minority': ['partition', 'partition/minority'],
  'partition:primaries': ['partition', 'partition/leader'],
  'partition:one-way': ['one-way-cut'],
  isolate: ['partition'],
  latency: ['slow-link'],
  'latency:spikes': ['latency-spike'],
  loss: ['loss'],
  duplicate: ['duplicate'],
  reorder: ['reorder'],
  bandwidth: ['bandwidth'],
  reset: ['reset'],
  'mass-restart': ['mass-restart'],
  'clock-skew': ['clock-jump'],
  'clock-jump': ['clock-jump', 'clock-back'],
  'clock-drift': ['clock-drift'],
  'disk-full': ['disk-full'],
  'read-only': ['disk-error'],
  'disk-error': ['disk-error'],
  'sync-error': ['sync-error'],
  'disk-slow': ['disk-slow'],
  truncate: ['torn-write'],
  'bit-flip': ['bit-rot'],
  membership: ['membership'],
}

/** `partition` draws its shape anew each time; the shape of a minority has a name of its own in the records. */
export const MAELSTROM_NEMESES: Readonly<Record<string, readonly FamilyKind[]>> = {
  partition: ['partition'],
  'partition:minority-third': ['partition', 'partition/minority'],
  kill: ['reboot', 'reboot/kill'],
  pause: ['pause'],
}

export function familiesOf(
  nemeses: Readonly<Record<string, readonly FamilyKind[]>>,
  name: string,
): readonly FamilyKind[] {
  return nemeses[name] ?? nemeses[name.split(':')[0]] ?? []
}
