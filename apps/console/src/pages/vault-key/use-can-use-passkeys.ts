import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { canUsePasskeys } from '../../private/passkey.ts'

/** False until the browser has said so. */
export function useCanUsePasskeys(): boolean {
  const can = useSignal(false)
  useEffect(() => {
    void canUsePasskeys().then((answer) => {
      can.value = answer
    })
  }, [can])
  return can.value
}
