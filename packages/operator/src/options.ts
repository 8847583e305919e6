import { UsageError } from './command.ts'

const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Accepts `90s`, `15m`, `12h`, and `7d`; returns seconds. */
export function parseDuration(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--${option} must be a duration such as 90s, 15m, 12h, or 7d`)
  return Number(count) * secondsIn[unit as keyof typeof secondsIn]
}

export function parseCount(option: string, text: string, max: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max) throw new UsageError(`--${option} must be an integer from 1 to ${max}`)
  return count
}

export function parseUuid(option: string, text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new UsageError(`--${option} must be an ID (UUID)`)
  return text.toLowerCase()
}

/** A position as one word, which the caller can pass to continue a list. */
export const formatPlace = (place: object): string => Buffer.from(JSON.stringify(place)).toString('base64url')

export function parsePlace<Place>(option: string, text: string | undefined): Place | null {
  if (text === undefined) return null
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    throw new UsageError(`--${option} must be the position that an earlier page printed`)
  }
}
