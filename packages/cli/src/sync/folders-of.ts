/** From the inside out: of `a/b/c`, `a/b` and `a`. */
export function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
}
