import { networkConsumers } from '@tideport/contracts/internal/streams'
import { networkNames } from '@tideport/file-lifecycle/copies/network-settings'
import { loadConfig } from '@tideport/service-kit/config/config'
import { natsSettings } from '@tideport/service-kit/config/process-settings'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { waitSettings } from '@tideport/service-kit/process/until-available'
import { z } from 'zod'
import type { CommandContext } from '../command.ts'

/** It only needs the names of the networks. */
export const streamsStepSettings = z.object({
  ...waitSettings,
  ...natsSettings,
  STORAGE_NETWORKS: z.string().default(''),
  STORAGE_NETWORK: z.string().default('embedded'),
})

/** Creates streams and consumers. Services do so too, but scaling by a consumer's lag needs them earlier. */
export async function setUpStreams({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(streamsStepSettings, env)
  const networks = networkNames(config.storageNetworks || config.storageNetwork)
  const consumers = networks.flatMap((network) => Object.values(networkConsumers(network)))
  await using link = connectNats({ ...config, name: 'set-up', log, consumers })
  const timeout = AbortSignal.timeout(config.waitSeconds * 1000)
  await link.provision(AbortSignal.any([signal, timeout])).catch((error: Error) => {
    throw timeout.aborted ? new Error(`NATS did not answer within ${config.waitSeconds} s`, { cause: error }) : error
  })
}
