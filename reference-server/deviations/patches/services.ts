/** Patches of the model and of the store, and patches out of patches. */

import type { Generation, Model, ModelRequest } from '../../model/types.ts'
import type { Patch, Services } from '../../services.ts'
import type { Store } from '../../store/types.ts'

/** Applies patches in order; later ones see, and may replace, what earlier ones did. */
export function compose(patches: readonly Patch[]): Patch {
  return (services) => patches.reduce((changed, patch) => patch(changed), services)
}

/** Patch with state of its own, which starts empty for each server. */
export function perServer(make: () => Patch): Patch {
  return (services) => make()(services)
}

/** Patch of the model's requests or answers, on the compatible surface or on the native ones. */
export function onModel(
  surface: 'compatible' | 'native',
  change: (model: Model, request: ModelRequest) => Generation,
): Patch {
  const toolsRunBy = surface === 'compatible' ? 'client' : 'service'
  return (services) => ({
    ...services,
    model: (request) =>
      request.toolsRunBy === toolsRunBy ? change(services.model, request) : services.model(request),
  })
}

type StorePart = Exclude<keyof Store, 'durable' | 'ready' | 'close'>

/** Patch of some methods of one part of the store. */
export function onStore<Part extends StorePart>(
  part: Part,
  change: (original: Store[Part], services: Services) => Partial<Store[Part]>,
): Patch {
  return (services) => {
    const original = services.store[part]
    return {
      ...services,
      store: { ...services.store, [part]: { ...original, ...change(original, services) } },
    }
  }
}
