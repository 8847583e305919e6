import type { FileEvent, TimelineEntry } from '@tideport/sdk'
import { language, text } from './text.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

/** In powers of 1,000: `1.5 MB`. */
export function bytes(size: number): string {
  const power = Math.min(units.length - 1, size < 1000 ? 0 : Math.floor(Math.log10(size) / 3))
  const value = size / 1000 ** power
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: units[power] as string,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  }).format(value)
}

export const date = (iso: string): string => new Date(iso).toLocaleDateString(language.value, { dateStyle: 'medium' })

/** A day in UTC. */
export const day = (iso: string): string =>
  new Date(iso).toLocaleDateString(language.value, { dateStyle: 'medium', timeZone: 'UTC' })

export const number = (value: number): string => value.toLocaleString(language.value)

export const dateTime = (iso: string): string =>
  new Date(iso).toLocaleString(language.value, { dateStyle: 'medium', timeStyle: 'short' })

const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** In the largest unit: `1.5 hours`. */
export function duration(seconds: number): string {
  const [unit, size] = spans.find(([, one]) => seconds >= one) ?? ['second', 1]
  const value = seconds / size
  const maximumFractionDigits = unit !== 'second' && value < 10 ? 1 : 0
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits,
  }).format(value)
}

export function shownDetail(value: TimelineEntry['details'][string]): string {
  if (value === null) return '–'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, of]) => `${name}: ${of}`)
    .join(', ')
}

/** The method and the visible part of the credential. Newer versions have methods without a label. */
export function actorName({ method, keyPrefix, subject }: FileEvent['actor']): string {
  const names: Record<string, string> = text.value.audit.methods
  const which = keyPrefix === null ? subject : `${keyPrefix}…`
  return [names[method] ?? method, which].filter(Boolean).join(' ')
}
