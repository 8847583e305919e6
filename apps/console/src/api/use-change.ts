import { type QueryKey, useMutation } from '@tanstack/preact-query'
import { queryClient } from './query-client.ts'

interface Change<Input, Answer> {
  run: (input: Input) => Promise<Answer>
  /** What has to be read anew afterwards. */
  changes: QueryKey
  /** At once: for what is in this answer alone. */
  onAnswer?: (answer: Answer, input: Input) => void
  /** When what it changed was read anew. */
  onDone?: (answer: Answer, input: Input) => void
}

/** Something that a form does, which tells its faults itself. What it answers, secrets too, is kept no longer than the form. */
export function useChange<Input, Answer>({ run, changes, onAnswer, onDone }: Change<Input, Answer>) {
  return useMutation({
    mutationFn: run,
    gcTime: 0,
    meta: { toldByForm: true },
    async onSuccess(answer, input) {
      onAnswer?.(answer, input)
      await queryClient.invalidateQueries({ queryKey: changes })
      onDone?.(answer, input)
    },
  })
}
