/** The difference between clocks that a signature survives. */
export const MAX_SKEW_MS = 15 * 60_000

const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
const DAY = /^(\d{4})(\d\d)(\d\d)$/
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** Reads `20260131T235959Z`. */
export function readBasicTime(text: string): Date | undefined {
  const time = new Date(text.replace(BASIC, '$1-$2-$3T$4:$5:$6Z'))
  return BASIC.test(text) && basicTime(time) === text ? time : undefined
}

/** Reads the header `date`, which is an HTTP date or has the basic form. */
export function readDateHeader(text: string): Date | undefined {
  if (!HTTP_DATE.test(text)) return readBasicTime(text)
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Reads `20260131`. */
export function dayOf(text: string): Date | undefined {
  return DAY.test(text) ? readBasicTime(`${text}T000000Z`) : undefined
}

/** `20260131T235959Z`; an empty string for an invalid date. */
export function basicTime(at: Date): string {
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** `2026-01-31T23:59:59Z`, as error documents have it. */
export function errorTime(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`
}
