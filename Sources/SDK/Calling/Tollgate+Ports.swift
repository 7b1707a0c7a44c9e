// Queries that the SDK sends to the store and the host.

extension Tollgate {
  func askStore(_ effect: Effect) {
    switch effect {
    case .loadOwnedProducts(let token):
      start { ports in
        do throws(StoreError) {
          return .ownedProducts(token, .success(try await ports.store.ownedProducts()))
        } catch {
          return .ownedProducts(token, .failure(error))
        }
      }
    case .loadProducts(let token, let identifiers):
      start { ports in
        do throws(StoreError) {
          return .products(token, .success(try await ports.store.products(identifiers)))
        } catch {
          return .products(token, .failure(error))
        }
      }
    case .purchase(let token, let request, let byController):
      let controller = byController ? purchaseController : nil
      start { ports in
        if let controller {
          return .purchaseFinished(token, StorePurchase(await controller.purchase(request)))
        }
        return .purchaseFinished(token, await ports.store.purchase(request))
      }
    case .restore(let token, let byController):
      let controller = byController ? purchaseController : nil
      start { ports in
        if let controller { return .restoreFinished(token, await controller.restorePurchases()) }
        return .restoreFinished(token, await ports.store.restorePurchases())
      }
    case .consume(let token, let purchaseToken):
      start { ports in
        do throws(StoreError) {
          return .consumed(token, .success(try await ports.store.consume(purchaseToken)))
        } catch {
          return .consumed(token, .failure(error))
        }
      }
    default: break
    }
  }

  func askPresenter(_ effect: Effect) {
    switch effect {
    case .askPresenter(let token):
      start { .canPresent(token, await $0.presenter.canPresent()) }
    case .present(let content): present(content)
    case .dismiss(let id):
      guard let presentation = presentations[id] ?? comingUp[id] else { return }
      start { [mainQueue] ports in
        await mainQueue.settle()
        await ports.presenter.dismiss(presentation)
        return .dismissed(id: id)
      }
    case .ask(let id, let survey):
      guard let presentation = presentations[id] else { return }
      start { .surveyAnswered(id: id, await $0.presenter.ask(survey, in: presentation)) }
    case .message(let id, let message):
      if let presentation = presentations[id] {
        tellPresenter { $0.send(message, to: presentation) }
      }
    case .checkout(let id, let directive):
      if let presentation = presentations[id] {
        tellPresenter { $0.checkout(directive, in: presentation) }
      }
    case .alert(let alert): tellPresenter { $0.alert(alert) }
    case .open(let url, let external): tellPresenter { $0.open(url, external: external) }
    case .schedule(let notification): tellPresenter { $0.schedule(notification) }
    default: break
    }
  }

  /// Calls the host after the app has received all earlier events.
  private func tellPresenter(_ tell: @escaping @Sendable (any PaywallPresenter) -> Void) {
    let presenter = ports.presenter
    mainQueue.addOrDo { tell(presenter) }
  }

  /// Requests a presentation, after the app has received the event that announces it.
  private func present(_ content: PresentationContent) {
    let id = content.id
    let presentation = presentation(content)
    presentations = [id: presentation]
    comingUp[id] = presentation
    start { [weak self, mainQueue] ports in
      await mainQueue.settle()
      guard await self?.isWanted(id) == true else {
        return .presentFailed(id: id, "the paywall is no longer wanted")
      }
      do {
        try await ports.presenter.present(presentation)
        return .presented(id: id)
      } catch {
        return .presentFailed(id: id, ErrorText.text(of: error))
      }
    }
  }

  private func presentation(_ content: PresentationContent) -> PaywallPresentation {
    let id = content.id
    let handle = PresentationHandle(
      report: { [weak self] in self?.post(.presentation(id: id, $0)) },
      pressBack: { [weak self] in await self?.pressBack(in: id) ?? false })
    return PaywallPresentation(
      id: id, info: content.info, products: content.products, attributes: content.attributes,
      response: content.response, handle: handle)
  }
}
