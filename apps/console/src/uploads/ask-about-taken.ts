import { signal } from '@preact/signals'

export type Choice = 'replace' | 'keep' | 'skip'

/** The open question about the first path in `left`; null: none. */
export const question = signal<{
  left: readonly string[]
  answer: (choice: Choice | null, forAll: boolean) => void
} | null>(null)

/** The user's choice for each taken path; null: upload nothing. */
export async function askAboutTaken(paths: readonly string[]): Promise<Map<string, Choice> | null> {
  const choices = new Map<string, Choice>()
  for (let left = paths; left.length > 0; ) {
    const { choice, forAll } = await ask(left)
    if (choice === null) return null
    const chosen = forAll ? left : left.slice(0, 1)
    for (const path of chosen) choices.set(path, choice)
    left = left.slice(chosen.length)
  }
  return choices
}

export function inTurn(run: () => Promise<void>): Promise<void> {
  const running = before.then(run)
  before = running.catch(() => {})
  return running
}

let before: Promise<void> = Promise.resolve()

function ask(left: readonly string[]): Promise<{ choice: Choice | null; forAll: boolean }> {
  return new Promise((resolve) => {
    question.value = {
      left,
      answer: (choice, forAll) => {
        question.value = null
        resolve({ choice, forAll })
      },
    }
  })
}
