import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { basename, dirname, join } from 'node:path'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/**
 * Imported into each service process: SIGUSR2 starts a CPU profile, and the next one writes it to BENCH_PROFILE_DIR.
 */
const session = new Session()
let isRunning = false
process.on('SIGUSR2', () => {
  if (!isRunning) {
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.start')
  } else {
    session.post('Profiler.stop', (_error, { profile }) => {
      const service = basename(dirname(dirname(process.argv[1] ?? '')))
      const file = join(hostEnvironment().BENCH_PROFILE_DIR ?? '', `${service}-${process.pid}.cpuprofile`)
      writeFileSync(file, JSON.stringify(profile))
    })
    session.disconnect()
  }
  isRunning = !isRunning
})
