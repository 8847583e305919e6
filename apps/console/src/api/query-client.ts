import { effect } from '@preact/signals'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query'
import { ApiError } from '@tideport/sdk'
import { endSession, session } from '../session/session.ts'
import { toastError } from './toasts.ts'

/** Everything read from the API, by key. The SDK repeats what may be repeated, so nothing is here. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endIfRefused }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      endIfRefused(error)
      // A form tells its own faults, beside its fields.
      if (mutation.meta?.toldByForm !== true) toastError(error)
    },
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

// What one account has is not for the next one that signs in here.
effect(() => {
  if (session.value === null) queryClient.clear()
})

function endIfRefused(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) endSession()
}
