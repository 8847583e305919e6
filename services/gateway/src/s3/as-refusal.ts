import { errorStatus } from '@tideport/contracts/endpoint/errors'
import { Refusal } from '@tideport/s3-door/files-port'
import { AppError } from '@tideport/service-kit/process/app-error'

/** The door knows no errors of the gateway. */
export async function asRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toRefusal(error)
  }
}

export function toRefusal(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message, details, retryAfterSeconds } = error
  return new Refusal({ status: errorStatus[code], code, message, details, retryAfterSeconds, cause: error })
}
