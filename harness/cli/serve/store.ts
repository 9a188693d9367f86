import type { Store } from '../../../reference-server/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { ServiceFlags } from './service-flags.ts'

/**
 * The store that `--store` names.
 *
 * @throws ConfigurationError for a store that cannot be opened
 */
export async function openedStore({
  store: text,
  lease,
}: ServiceFlags): Promise<{ readonly store: Store; readonly name: string }> {
  const { openStore, StoreOpenError, storeName } = await import(
    '../../../reference-server/index.ts'
  )
  try {
    return {
      store: await openStore(text, lease === undefined ? {} : { leaseMs: lease }),
      name: storeName(text),
    }
  } catch (error) {
    if (error instanceof StoreOpenError) throw new ConfigurationError([`--store: ${error.message}`])
    throw error
  }
}
