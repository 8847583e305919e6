/** Detects a cycle of cursors of any length, with memory for one cursor (Brent). */
export function seenBefore(): (cursor: string) => boolean {
  let kept: string | undefined
  let steps = 0
  let until = 1
  return (cursor) => {
    if (cursor === kept) return true
    if (++steps === until) {
      kept = cursor
      until *= 2
    }
    return false
  }
}
