import { useEffect, useState } from 'preact/hooks'
import { canUsePasskeys } from '../../private/passkey.ts'

/** False until the browser has said so. */
export function useCanUsePasskeys(): boolean {
  const [can, setCan] = useState(false)
  useEffect(() => {
    void canUsePasskeys().then(setCan)
  }, [])
  return can
}
