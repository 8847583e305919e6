import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { createFailpoints } from '../../src/failpoints.ts'

/** A process that passes the failpoint `here`, then says so. */
function startProcess(directory: string) {
  const failpoint = import.meta.resolve('@tideport/service-kit/process/failpoint')
  const code = `import { armFailpoints, failpoint } from '${failpoint}'
    armFailpoints(process.argv[1])
    console.log('before')
    await failpoint('here')
    console.log('after')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code, directory], { stdio: 'pipe' })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  return { child, exited: once(child, 'close').then(([code, signal]) => ({ code, signal, output })) }
}

it('kills the first process that comes by with SIGKILL, and only that one', async () => {
  await using failpoints = await createFailpoints()
  await failpoints.kill('here')
  expect(await startProcess(failpoints.directory).exited).toEqual({ code: null, signal: 'SIGKILL', output: 'before\n' })
  await failpoints.waitUntilHit('here')
  expect(await startProcess(failpoints.directory).exited).toMatchObject({ code: 0, output: 'before\nafter\n' })
})

it('holds a process until it is released', async () => {
  await using failpoints = await createFailpoints()
  await failpoints.pause('here')
  const { child, exited } = startProcess(failpoints.directory)
  await once(child.stdout, 'data')
  expect(child.exitCode).toBeNull()
  await failpoints.release('here')
  expect(await exited).toMatchObject({ code: 0, output: 'before\nafter\n' })
})
