/** Every surface names models by the ids of section 2.1. */
import { ApiError } from '../http/errors.ts'
import { type CatalogueModel, findModel } from '../model/catalogue.ts'

/** @throws ApiError 404 with `model_not_found` */
export function knownModel(id: string, param: string): CatalogueModel {
  const model = findModel(id)
  if (model === undefined) {
    throw new ApiError(404, `The model ${JSON.stringify(id)} does not exist`, {
      code: 'model_not_found',
      param,
    })
  }
  return model
}
