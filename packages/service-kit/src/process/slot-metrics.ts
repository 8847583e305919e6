import type { Metrics } from '../telemetry/metrics.ts'

export function showSlots(
  metrics: Metrics,
  name: string,
  { slots, busy }: { slots: number; busy: () => number },
): void {
  const show = (suffix: string, help: string, read: () => number) =>
    metrics.show(`tideport_${name}_slots${suffix}`, help, read)
  show('', 'Files that this process can be at work on at once', () => slots)
  show('_busy', 'Files that this process is at work on', busy)
  show('_busy_ratio', 'Share of the slots of this process that are busy, 0 to 1', () => busy() / slots)
}
