import { useLayoutEffect } from 'preact/hooks'

export function useAskBeforeUnload(isNeeded: boolean): void {
  useLayoutEffect(() => {
    if (!isNeeded) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isNeeded])
}
