/** A clock that stands still until a test moves it; starts at the present moment unless told. */
export function settableClock(start: Date = new Date()) {
  let ms = start.getTime()
  return {
    now: () => new Date(ms),
    set(date: Date) {
      ms = date.getTime()
    },
    advance(byMs: number) {
      ms += byMs
    },
  }
}

export type SettableClock = ReturnType<typeof settableClock>
