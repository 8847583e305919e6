import { z } from 'zod'
import { networkPattern } from '../config/setting.ts'
import { isNetwork } from './address-guard.ts'

export const networkSetting = z
  .string()
  .refine(isNetwork, 'must be networks such as 10.0.0.0/8')
  .meta({ pattern: networkPattern })
