#pragma once

/// @file
/// Passwords that stand in a query, which a ledger must not keep.

#include <string>
#include <string_view>

namespace freegap::questions {

/// A text for the ledger, SQL or an address, without what may be a password in it; `***` stands
/// there instead.
/// - After `password =` all is left out, up to the end of the literal of SQL that it stands in.
/// - After `//user:` all is left out, up to the last `@` of that literal.
///
/// Outside of a literal, and where the password may go on beyond it (as in
/// `'password=' || 's3cret'`), the end of the text takes the place of the end of the literal.
/// Rather too much is left out than too little.
[[nodiscard]] std::string without_passwords(std::string_view text);

}  // namespace freegap::questions
