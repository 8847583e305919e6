import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { spawnProgram } from '../../src/spawn-program.ts'
import { createTemporaryDirectory } from '../../src/temporary-directory.ts'
import { waitFor } from '../../src/wait-for.ts'

const sayHere = `console.log(JSON.stringify({ msg: 'here', pid: process.pid, env: process.env }))`

async function createProgram(source: string) {
  const { path, [Symbol.asyncDispose]: dispose } = await createTemporaryDirectory('program')
  const file = pathToFileURL(join(path, 'program.mjs'))
  await writeFile(file, source)
  return { file, [Symbol.asyncDispose]: dispose }
}

it('passes settings to a program, but no variables of the test runner that would change tested behavior', async () => {
  await using source = await createProgram(sayHere)
  await using program = spawnProgram(source.file, { LIMIT: '1' })
  const { env } = await program.line('here')
  expect(env).toMatchObject({ LIMIT: '1', PATH: process.env['PATH'] })
  expect(env).not.toHaveProperty('NODE_ENV')
  expect(await program.ended).toEqual({ code: 0, signal: null })
})

it('reports the output of a program that exits before the awaited message', async () => {
  await using source = await createProgram(`console.error('no luck'); process.exitCode = 3`)
  await using program = spawnProgram(source.file)
  await expect(program.line('here')).rejects.toThrow('no luck')
  await expect(program.ready()).rejects.toThrow('no luck')
  expect(await program.ended).toEqual({ code: 3, signal: null })
})

it('fails a test if Node prints a warning in its program', async () => {
  await using source = await createProgram(`process.emitWarning('Too many', 'MaxListenersExceededWarning')`)
  const program = spawnProgram(source.file)
  await program.ended
  await expect(program[Symbol.asyncDispose]()).rejects.toThrow('MaxListenersExceededWarning: Too many')
})

it.runIf(process.platform === 'linux')('stops its programs when the test process is killed', async () => {
  await using child = await createProgram(`${sayHere}; setInterval(() => {}, 1000)`)
  const spawnProgramUrl = new URL('../../src/spawn-program.ts', import.meta.url)
  await using parent = await createProgram(`import { spawnProgram } from '${spawnProgramUrl}'
    const { pid } = await spawnProgram(new URL('${child.file}')).line('here')
    console.log(JSON.stringify({ msg: 'child', pid }))`)
  await using program = spawnProgram(parent.file)
  const { pid } = await program.line('child')
  expect(runs(Number(pid))).toBe(true)
  await program.kill()
  await waitFor(() => !runs(Number(pid)), { what: 'the child to be gone' })
})

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
