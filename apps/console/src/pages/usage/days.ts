const MS_PER_DAY = 86_400_000

/** The spans that are offered, in days with today. */
export const spans = [30, 90, 365] as const

/** A day in UTC, as `2026-01-31`. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * MS_PER_DAY).toISOString().slice(0, 10)

/** How many days a day lies behind another one. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / MS_PER_DAY)
