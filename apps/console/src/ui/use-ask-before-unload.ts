import { useLayoutEffect } from 'preact/hooks'

/** Has the browser ask, in its own words, before the tab is closed, loaded anew or led elsewhere. */
export function useAskBeforeUnload(isNeeded: boolean): void {
  useLayoutEffect(() => {
    if (!isNeeded) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isNeeded])
}
