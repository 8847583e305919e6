import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/**
 * What a Node process of a test needs of our own environment and no more: NODE_ENV of the test runner would change what
 * is tested.
 */
export const nodeEnvironment = (): Record<string, string> => bareEnvironment(hostEnvironment())
