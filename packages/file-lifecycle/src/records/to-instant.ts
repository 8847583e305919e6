/** As answers have it. */
export function toInstant(date: Date | null): string | null {
  return date?.toISOString() ?? null
}
