export const n = (count: number): string => count.toLocaleString('de')

/** `1 ONE`, or the count and `many`; `all` for a count that is null. */
export const counted = (count: number | null, one: string, many: string, all = ''): string =>
  count === null ? all : count === 1 ? `1 ${one}` : `${n(count)} ${many}`
