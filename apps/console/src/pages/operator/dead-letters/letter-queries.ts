import { useMutation } from '@tanstack/preact-query'
import { usePages } from '../../../api/use-pages.ts'
import { type KindName, letterKinds } from './kinds.ts'
import type { LetterFilter, Wanted } from './letter.ts'

/** What has to be read anew when something was tried again. */
export const changes = ['operator', 'dead letters'] as const

/** Those that have waited longest come first. */
export const useLetters = (kind: KindName, filter: LetterFilter) =>
  usePages([...changes, kind, filter], (options) => letterKinds[kind].read(filter, options), {
    keyOf: ({ key }) => key,
  })

/** One call, which takes up to 100 of them. */
export const useRedrive = (kind: KindName) =>
  useMutation({
    mutationFn: ({ wanted, dryRun }: { wanted: Wanted; dryRun: boolean }) =>
      letterKinds[kind].redrive?.(wanted, dryRun) ?? Promise.reject(new Error(`${kind} cannot be tried again`)),
    gcTime: 0,
    meta: { toldByForm: true },
  })
