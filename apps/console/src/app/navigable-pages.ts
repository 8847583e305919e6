import { useAccess } from '../api/operator-access.ts'
import type { Text } from '../text/en.ts'
import { pages } from './pages.ts'

/** The pages that whoever is signed in finds in the navigation, in its order. */
export function useNavigablePages(): { path: string; nav: keyof Text['nav'] }[] {
  const isOperator = useAccess().data?.isOperator === true
  return pages.flatMap(({ path, nav, isForOperators }) =>
    nav === undefined || (isForOperators && !isOperator) ? [] : [{ path, nav }],
  )
}
