import { effect } from '@preact/signals'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query'
import { ApiError } from '@tideport/sdk'
import { endSession, session } from '../session/session.ts'
import { toastError } from './toasts.ts'

/** The SDK retries, so queries do not. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endIfRefused }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      endIfRefused(error)
      // Forms show their errors at the fields.
      if (mutation.meta?.toldByForm !== true) toastError(error)
    },
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

// The next account must not see this account's data.
effect(() => {
  if (session.value === null) queryClient.clear()
})

function endIfRefused(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) endSession()
}
