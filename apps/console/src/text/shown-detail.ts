import type { TimelineEntry } from '@tideport/sdk'

/** What an event says of one thing: a list and pairs on one line. */
export function shownDetail(value: TimelineEntry['details'][string]): string {
  if (value === null) return '–'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, of]) => `${name}: ${of}`)
    .join(', ')
}
