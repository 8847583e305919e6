import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Issue, isAbout } from '../api/issues.ts'

/** What the service found wrong with what a form sent last. */
export const Issues = createContext<readonly Issue[]>([])

/** What of it is to be told at the field of this name. */
export function useIssue(name: unknown): string | undefined {
  const about = useContext(Issues).filter((issue) => typeof name === 'string' && isAbout(issue, name))
  return about.length === 0 ? undefined : about.map(({ message }) => message).join(' ')
}
