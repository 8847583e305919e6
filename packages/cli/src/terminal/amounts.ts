import { UsageError } from './failures.ts'

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1.4 MB`: at most three digits, powers of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

export const formatCount = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`

/** An integer from 1 to `max`. Throws a `UsageError`. */
export function parseCount(option: string, text: string, max: number): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max) throw new UsageError(`--${option} must be an integer from 1 to ${max}`)
  return count
}
