import { loadConfig } from '@tideport/service-kit/config/config'
import { natsSettings } from '@tideport/service-kit/config/process-settings'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { waitSettings } from '@tideport/service-kit/process/until-available'
import { z } from 'zod'
import type { CommandContext } from '../command.ts'

/** Settings of `set-up streams`. */
export const streamsStepSettings = z.object({ ...waitSettings, ...natsSettings })

/** Streams and consumers. Any service makes what is missing; whoever scales by a consumer's lag wants it there before. */
export async function setUpStreams({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(streamsStepSettings, env)
  await using link = connectNats({ ...config, name: 'set-up', log })
  const patience = AbortSignal.timeout(config.waitSeconds * 1000)
  await link.provision(AbortSignal.any([signal, patience])).catch((error: Error) => {
    throw patience.aborted ? new Error(`NATS did not answer within ${config.waitSeconds} s`, { cause: error }) : error
  })
}
