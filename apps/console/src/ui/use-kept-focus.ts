import { useEffect, useRef } from 'preact/hooks'

/** Where a part of the page takes another's place, and with it goes what had the focus, the reader goes on at the page's top. */
export function useKeptFocus(shown: string): void {
  const before = useRef(shown)
  useEffect(() => {
    if (before.current === shown) return
    before.current = shown
    if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true })
  }, [shown])
}
