/**
 * Whether cursors go round in a circle, however long it is, at the memory of one (Brent): each is compared with one of
 * those before it, which is taken anew at the first, second, fourth, eighth….
 */
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
