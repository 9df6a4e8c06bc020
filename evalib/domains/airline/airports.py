"""City names of airport codes, for saying them aloud and for understanding them."""

CITIES = {
    "ABQ": "Albuquerque", "ANC": "Anchorage", "ATL": "Atlanta", "AUS": "Austin", "BDL": "Hartford",
    "BNA": "Nashville", "BOI": "Boise", "BOS": "Boston", "BUF": "Buffalo", "BUR": "Burbank",
    "BWI": "Baltimore", "CDG": "Paris", "CHS": "Charleston", "CLE": "Cleveland", "CLT": "Charlotte",
    "CMH": "Columbus", "CUN": "Cancun", "CVG": "Cincinnati", "DCA": "Washington National", "DEN": "Denver",
    "DFW": "Dallas Fort Worth", "DSM": "Des Moines", "DTW": "Detroit", "ELP": "El Paso", "EWR": "Newark",
    "FLL": "Fort Lauderdale", "FRA": "Frankfurt", "HND": "Tokyo Haneda", "HNL": "Honolulu",
    "IAD": "Washington Dulles", "IAH": "Houston", "IND": "Indianapolis", "JAX": "Jacksonville",
    "JFK": "New York Kennedy", "LAS": "Las Vegas", "LAX": "Los Angeles", "LGA": "New York LaGuardia",
    "LHR": "London Heathrow", "LIT": "Little Rock", "MCI": "Kansas City", "MCO": "Orlando",
    "MDW": "Chicago Midway", "MEM": "Memphis", "MIA": "Miami", "MKE": "Milwaukee", "MSP": "Minneapolis",
    "MSY": "New Orleans", "OAK": "Oakland", "OGG": "Maui", "OKC": "Oklahoma City", "OMA": "Omaha",
    "ORD": "Chicago O'Hare", "PDX": "Portland", "PHL": "Philadelphia", "PHX": "Phoenix",
    "PIT": "Pittsburgh", "RDU": "Raleigh Durham", "RIC": "Richmond", "RNO": "Reno", "RSW": "Fort Myers",
    "SAN": "San Diego", "SAT": "San Antonio", "SAV": "Savannah", "SEA": "Seattle", "SFO": "San Francisco",
    "SJC": "San Jose", "SLC": "Salt Lake City", "SMF": "Sacramento", "SNA": "Orange County",
    "STL": "Saint Louis", "TPA": "Tampa", "TUL": "Tulsa", "TUS": "Tucson", "YUL": "Montreal",
    "YVR": "Vancouver", "YYZ": "Toronto",
}  # fmt: skip


def city(code: str) -> str:
    """The city of an airport code; the code itself, letter by letter, when it is not in the list."""
    return CITIES.get(code, " ".join(code))
