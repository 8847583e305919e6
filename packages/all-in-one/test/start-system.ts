import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { expect } from 'vitest'

export const main = new URL('../src/main.ts', import.meta.url)
export const operatorProgram = new URL('../src/operator-program.ts', import.meta.url)

/** A program that prints the first screen. */
export async function startSystem(env: Record<string, string>, args: string[]) {
  const program = spawnProgram(main, env, args)
  let isOver = false
  void program.ended.then(() => (isOver = true))
  await waitFor(() => isOver || program.printed().includes('Tideport is ready'), { what: 'the first screen' })
  expect(program.printed()).toContain('Tideport is ready')
  return program
}
