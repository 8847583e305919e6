import type { Text } from '../text/en.ts'
import { useIsOperator } from './operator-access.ts'
import { type Page, pages } from './pages.ts'

/** The pages that whoever is signed in finds in the navigation, in its order. */
export function useNavigablePages(): (Page & { nav: keyof Text['nav'] })[] {
  const isOperator = useIsOperator()
  return pages.flatMap(({ nav, ...page }) =>
    nav === undefined || (page.isForOperators && !isOperator) ? [] : [{ ...page, nav }],
  )
}
