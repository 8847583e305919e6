import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    isFullRun?: boolean
  }
}

/** Whether this is `npm run test:full`, which tests every variant of a guarantee. */
export const isFullRun = inject('isFullRun') ?? false
