import assert from 'node:assert/strict'
import type { Body, Model, NextRequest } from './model.ts'
import type { DescribedOperation } from './schema.ts'

/** Few, so that cases use the same ones repeatedly. */
const ENDPOINTS = 4
const DELIVERIES = 8

interface Endpoint {
  readonly id: string
  enabled: boolean
}

interface Delivery {
  readonly id: string
  readonly endpointId: string
}

/** The expected webhook endpoints and deliveries of a lane. Nothing is sent, so deliveries stay PENDING. */
export class WebhookModel implements Model {
  readonly #endpoints: Endpoint[] = []
  #deliveries: Delivery[] = []
  readonly live = { '/webhook-endpoints': 0 }

  wanted(): NextRequest | undefined {
    if (this.#endpoints.length < ENDPOINTS) {
      return {
        operation: 'createWebhookEndpoint',
        path: '/webhook-endpoints',
        body: '{"url":"https://hooks.example/"}',
      }
    }
    const id = this.#endpoints.find(({ enabled }) => enabled)?.id
    if (this.#deliveries.length > 0 || id === undefined) return undefined
    return { operation: 'testWebhookEndpoint', path: `/webhook-endpoints/${id}/test`, id }
  }

  target(operation: DescribedOperation, nth: number): string | undefined {
    if (operation.path.includes('{endpointId}')) return this.#endpoints[nth % this.#endpoints.length]?.id
    if (operation.path.includes('{deliveryId}')) return this.#deliveries[nth % this.#deliveries.length]?.id
    return undefined
  }

  refusal(operation: string, id: string | undefined): number | undefined {
    const endpoint = this.#endpoints.find((one) => one.id === id)
    if (operation === 'testWebhookEndpoint') return endpoint?.enabled === false ? 409 : undefined
    if (operation !== 'retryWebhookDelivery') return undefined
    const endpointId = this.#deliveries.find((one) => one.id === id)?.endpointId
    return this.#endpoints.find((one) => one.id === endpointId)?.enabled === false ? 409 : undefined
  }

  follow(operation: string, id: string | undefined, body: Body): void {
    if (operation === 'createWebhookEndpoint') this.#learn(body)
    const endpoint = this.#endpoints.find((one) => one.id === id)
    if (endpoint === undefined) return
    if (operation === 'deleteWebhookEndpoint') {
      assert.deepEqual(body, { data: { id } })
      this.#endpoints.splice(this.#endpoints.indexOf(endpoint), 1)
      this.#deliveries = this.#deliveries.filter(({ endpointId }) => endpointId !== id)
      this.live['/webhook-endpoints'] -= 1
    } else if (operation === 'testWebhookEndpoint') {
      assert.deepEqual([body.endpointId, body.status], [id, 'PENDING'])
      this.#deliveries = [...this.#deliveries, { id: body.id, endpointId: body.endpointId }].slice(-DELIVERIES)
    } else {
      assert.equal(body.id, id)
      if (operation === 'updateWebhookEndpoint') endpoint.enabled = body.enabled
      assert.equal(body.enabled, endpoint.enabled)
    }
  }

  #learn({ id, enabled }: Body): void {
    this.live['/webhook-endpoints'] += 1
    this.#endpoints.push({ id, enabled })
    if (this.#endpoints.length > 3 * ENDPOINTS) this.#endpoints.splice(0, 1)
  }
}
