import type { Answer } from './exchange.ts'
import { malformed } from './s3-error.ts'
import { elementsOf } from './xml.ts'

/** Reads what is inside the root; an answer that is cut off, or is something else, is none. */
export function documentOf(root: string) {
  return ({ body }: Pick<Answer, 'body'>): string => {
    for (const inner of elementsOf(body, root)) return inner
    throw malformed(`is no ${root}`)
  }
}
